/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen;

/**
 * A batch that was predicted, to be predicted again. The arrays are not copied.
 *
 * @param model the loaded model, as {@link io.paritas.inference.ModelPool#name} names it
 * @param fold images in a stack of a folded model, 1 for an ordinary model
 * @param whole whether these are all rows of the batch. Fewer rows may be summed in another order, so that their predictions
 *     differ in the last bits
 * @param rows number of rows, at least 1
 * @param inputs the inputs, row by row
 * @param outputs the predictions, row by row
 * @param reason why it is audited
 */
public record Sample(String model, int fold, boolean whole, int rows, float[] inputs, float[] outputs, Reason reason) {

    /** Whether all processors must agree in every bit: codes have no rounding. */
    boolean isCoded() {
        return CodedUnits.isOf(model);
    }

    /** Bytes of the arrays. */
    long bytes() {
        return Float.BYTES * ((long) inputs.length + outputs.length);
    }
}
