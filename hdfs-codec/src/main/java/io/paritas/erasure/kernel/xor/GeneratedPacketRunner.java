/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** Runs the program as generated straight-line code, in one method if it is short enough. */
final class GeneratedPacketRunner implements PacketRunner {
    /** C2 compiles no method of more than 8000 bytecodes; the encoder of RS(10,4), 385 xors, has 6500. */
    private static final int MAX_XORS = 420;

    private final List<PacketChunk> chunks = new ArrayList<>();
    private final int lanes = WidestVector.lanes();

    GeneratedPacketRunner(PacketLayout layout, BlockProgram program) {
        List<Statement> statements = program.statements();
        int total = xors(statements);
        int parts = Math.max(1, (total + MAX_XORS - 1) / MAX_XORS);
        int from = 0;
        int done = 0;
        for (int part = 1; part <= parts; part++) {
            int to = from;
            while (to < statements.size() && (part == parts || done < (long) total * part / parts)) {
                done += statements.get(to).arguments().length - 1;
                to++;
            }
            BitSet live = liveAfter(program, statements, to);
            chunks.add(
                    PacketChunkGenerator.generate(WidestVector.lookup(), statements.subList(from, to), live, layout));
            from = to;
        }
    }

    private static int xors(List<Statement> statements) {
        return statements.stream()
                .mapToInt(statement -> statement.arguments().length - 1)
                .sum();
    }

    /** The blocks that later statements read, from this one on, and the outputs. */
    private static BitSet liveAfter(BlockProgram program, List<Statement> statements, int from) {
        BitSet live = new BitSet();
        live.set(program.inputs(), program.strips());
        for (int i = statements.size() - 1; i >= from; i--) {
            live.clear(statements.get(i).target());
            for (int argument : statements.get(i).arguments()) {
                live.set(argument);
            }
        }
        return live;
    }

    @Override
    public void run(byte[][] arrays, int[] offsets, int groups) {
        for (PacketChunk chunk : chunks) {
            chunk.apply(arrays, offsets, groups);
        }
        if (lanes < PacketLayout.PACKET) {
            int[] moved = offsets.clone();
            for (int from = lanes; from < PacketLayout.PACKET; from += lanes) {
                for (int unit = 0; unit < moved.length; unit++) {
                    moved[unit] += lanes;
                }
                for (PacketChunk chunk : chunks) {
                    chunk.apply(arrays, moved, groups);
                }
            }
        }
    }
}
