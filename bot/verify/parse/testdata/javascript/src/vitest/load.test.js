import './nothing-of-that-name.js'; // at: load
