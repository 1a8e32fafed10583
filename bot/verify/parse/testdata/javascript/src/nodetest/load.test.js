require('./nothing-of-that-name.js'); // at: load
