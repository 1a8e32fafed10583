const x = = 1; // at: syntax
