"""Who may do what on the app: settings of sign-in, the person whom a provider names, and the roles."""
