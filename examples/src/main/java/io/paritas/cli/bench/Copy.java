/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.bench;

/** Copies k data units to k others, whatever the operation. */
final class Copy implements Lane {
    private final Shape shape;
    private final byte[][] from;
    private final byte[][] to;

    Copy(Shape shape) {
        this.shape = shape;
        from = new byte[shape.code().k()][shape.unitLength()];
        to = new byte[shape.code().k()][shape.unitLength()];
    }

    @Override
    public Turn turn(Operation operation, long nanos) {
        long start = System.nanoTime();
        long bytes = 0;
        long elapsed;
        do {
            for (int unit = 0; unit < from.length; unit++) {
                System.arraycopy(from[unit], 0, to[unit], 0, shape.unitLength());
            }
            bytes += shape.dataBytes();
            elapsed = System.nanoTime() - start;
        } while (elapsed < nanos);
        return new Turn(bytes, elapsed);
    }
}
