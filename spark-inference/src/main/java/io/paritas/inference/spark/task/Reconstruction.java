/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.parity.PredictionDecoder;
import io.paritas.inference.spark.driver.Instruction;
import io.paritas.inference.spark.driver.Layout;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Answers the batches of a unit from the predictions of the others of its stripe. */
final class Reconstruction {
    private final Layout layout;
    private final PredictionDecoder decoder;
    private final int allParities;
    private final int unit;
    /* By place in the stripe; the parities by their number first. */
    private final Map<Integer, Map<Long, Answers>> data = new HashMap<>();
    private final List<Map<Integer, Map<Long, Answers>>> parities = new ArrayList<>();

    /** Fetches what the instruction says. */
    Reconstruction(Coding coding, int unit, Instruction instruction, PredictionStore store) throws BlocksLostException {
        this.layout = coding.layout();
        this.decoder = coding.decoder();
        this.allParities = coding.plan().code().r();
        this.unit = unit;
        for (int parity = 0; parity < instruction.lost(); parity++) {
            parities.add(new HashMap<>());
        }
        for (int place = 0; place < layout.n(); place++) {
            if ((instruction.sources() >> place & 1) == 1) {
                int source = first() + place;
                data.put(place, require(store.get(store.computed(source)), place));
                for (int parity = 0; parity < instruction.lost(); parity++) {
                    parities.get(parity).put(place, require(store.get(store.parity(source, parity)), place));
                }
            }
        }
    }

    private static Map<Long, Answers> require(Optional<Map<Long, Answers>> block, int place)
            throws BlocksLostException {
        if (block.isEmpty()) {
            throw new BlocksLostException(place);
        }
        return block.get();
    }

    /** The reconstructed answers to a batch; unavailable where a prediction that is needed is unavailable itself. */
    Answers decode(Batch batch, int size) {
        GroupShape shape = new GroupShape(layout.k(), batch.total());
        int rotation = Math.floorMod(layout.placeOf(unit) - batch.slot(), layout.n());
        Answers answers = new Answers(shape.rows(batch.slot()), size);
        for (int row = 0; row < answers.rows(); row++) {
            float[][] predictions = new float[shape.members(row)][];
            for (int slot = 0; slot < predictions.length; slot++) {
                predictions[slot] = prediction(data.get((slot + rotation) % layout.n()), batch.group(), row);
            }
            float[][] parity = new float[allParities][];
            for (int j = 0; j < parities.size(); j++) {
                int place = (layout.k() + j + rotation) % layout.n();
                parity[j] = prediction(parities.get(j).get(place), batch.group(), row);
            }
            BitSet reconstructed = decoder.decode(predictions, parity);
            if (reconstructed.get(batch.slot())) {
                answers.set(row, predictions[batch.slot()], Outcome.RECONSTRUCTED);
            }
        }
        return answers;
    }

    private static float[] prediction(Map<Long, Answers> block, long group, int row) {
        Answers answers = block == null ? null : block.get(group);
        return answers == null ? null : answers.prediction(row);
    }

    private int first() {
        return layout.stripeOf(unit) * layout.n();
    }
}
