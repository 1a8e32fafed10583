/* A loop without end, compiled as the external scanners are: the test that one
 * is stopped runs it. */
__attribute__((export_name("f_spin"))) void f_spin(void) {
  for (volatile int i = 0;; i++) {}
}
