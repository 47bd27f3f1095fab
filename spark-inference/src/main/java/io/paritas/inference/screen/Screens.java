/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen;

/**
 * What looks at the predictions of a JVM. Immutable.
 *
 * @param sampler picks batches to audit
 * @param recent remembers batches whose groups are compared
 * @param stacks checks stacks of folded models
 * @param layers counts what the checks of protected models find
 */
public record Screens(Sampler sampler, RecentBatches recent, StackScreen stacks, LayerScreen layers) {
    private static volatile Screens current = none();

    /** Screens that pick, remember and check nothing. */
    public static Screens none() {
        Sampler sampler = new Sampler(0, 0);
        return new Screens(sampler, new RecentBatches(0), new StackScreen(0, 0, sampler), new LayerScreen());
    }

    /** The screens of this JVM; at first {@link #none}. */
    public static Screens current() {
        return current;
    }

    /** Makes them the screens of this JVM. */
    public void install() {
        current = this;
    }
}
