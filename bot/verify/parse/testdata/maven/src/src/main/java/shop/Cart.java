package shop;

public class Cart {
    public static int mean(int... prices) {
        int sum = 0;
        for (int p : prices) {
            sum += p;
        }
        return sum / prices.length; // at: mean
    }
}
