/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.NoGradGuard;

/**
 * The life of tensors: what a thread makes while a scope is open is freed when it closes, except what is
 * {@linkplain #keep kept}. One training step, one batch of predictions: one scope. Scopes nest; they belong to the thread
 * that opened them.
 */
public final class Scope implements AutoCloseable {
    private final PointerScope pointers = new PointerScope();
    private final NoGradGuard noGradients;

    private Scope(boolean gradients) {
        noGradients = gradients ? null : new NoGradGuard();
    }

    /** A scope in which operations remember how to compute gradients. */
    public static Scope open() {
        return new Scope(true);
    }

    /** A scope for predicting: no operation remembers anything. */
    public static Scope withoutGradients() {
        return new Scope(false);
    }

    /** Lets a tensor live on after the scope in which it was made; whoever keeps it closes it. */
    public static Tensor keep(Tensor tensor) {
        tensor.raw().retainReference();
        return tensor;
    }

    @Override
    public void close() {
        if (noGradients != null) {
            noGradients.close();
        }
        pointers.close();
    }
}
