/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.NoGradGuard;

/**
 * A scope of native memory: closing it frees the tensors that its thread has made since it was opened, except those that are
 * {@linkplain #keep kept}. Use one for each training step or batch of predictions. Scopes nest, and belong to the thread that
 * opened them.
 */
public final class Scope implements AutoCloseable {
    private final PointerScope pointers = new PointerScope();
    private final NoGradGuard noGradients;

    private Scope(boolean gradients) {
        noGradients = gradients ? null : new NoGradGuard();
    }

    /** Opens a scope in which operations record gradients. */
    public static Scope open() {
        return new Scope(true);
    }

    /** Opens a scope for predictions, in which operations record nothing. */
    public static Scope withoutGradients() {
        return new Scope(false);
    }

    /** Takes a tensor out of its scope; the caller closes it. */
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
