"""The public functions on DataFrames: the estimators of the store's answers, without a store."""
