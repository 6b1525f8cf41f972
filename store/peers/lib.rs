//! Holds the bench that measures the log against other databases.
