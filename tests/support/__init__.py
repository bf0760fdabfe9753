"""What the tests share: builders of test data, fixtures, and stand-ins for what is outside."""
