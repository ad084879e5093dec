//! Whole firings decided: what hooks answered, what the agent does.
