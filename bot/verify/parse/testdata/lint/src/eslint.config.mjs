export default [{ rules: { 'no-unused-vars': 'warn', 'no-undef': 'error' } }];
