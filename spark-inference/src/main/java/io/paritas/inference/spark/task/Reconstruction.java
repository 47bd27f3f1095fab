/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.ModelException;
import io.paritas.inference.Outcome;
import io.paritas.inference.parity.GroupDecoder;
import io.paritas.inference.spark.driver.Instruction;
import io.paritas.inference.spark.driver.Layout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers the batches of a segment from the predictions of the other segments of its stripe. */
final class Reconstruction {
    private static final Logger LOG = LoggerFactory.getLogger(Reconstruction.class);

    /* Groups that the decoder gets at once: enough for a network, and few enough to be copied. */
    private static final int AT_ONCE = 256;

    private final Layout layout;
    private final int allParities;
    private final int segment;
    /* By place in the stripe; the parities by their number first. */
    private final Map<Integer, Map<Long, Answers>> data = new HashMap<>();
    private final List<Map<Integer, Map<Long, Answers>>> parities = new ArrayList<>();
    private GroupDecoder decoder;

    /** Fetches the predictions that the instruction names. */
    Reconstruction(CodingSpec coding, int segment, Instruction instruction, PredictionStore store)
            throws BlocksLostException {
        this.layout = coding.layout();
        this.allParities = coding.plan().r();
        this.segment = segment;
        this.decoder = decoder(coding);
        for (int parity = 0; parity < layout.r(); parity++) {
            parities.add(new HashMap<>());
        }
        for (int place = 0; place < layout.n(); place++) {
            if ((instruction.sources() >> place & 1) == 1) {
                int source = first() + place;
                if (layout.hasData(place)) {
                    data.put(place, require(store.get(store.computed(source)), place));
                }
                for (int parity : layout.parities(place, instruction.lost())) {
                    parities.get(parity).put(place, require(store.get(store.parity(source, parity)), place));
                }
            }
        }
    }

    private GroupDecoder decoder(CodingSpec coding) {
        try {
            return coding.decoder();
        } catch (ModelException e) {
            return without(e);
        }
    }

    /** In place of a decoder that has failed, which is a network and may be short of memory: reconstructs nothing. */
    private GroupDecoder without(ModelException failure) {
        LOG.warn("Paritas: segment {} is predicted, it cannot be reconstructed: {}", segment, failure.getMessage());
        return (predictions, answers) -> new BitSet();
    }

    private static Map<Long, Answers> require(Optional<Map<Long, Answers>> block, int place)
            throws BlocksLostException {
        if (block.isEmpty()) {
            throw new BlocksLostException(place);
        }
        return block.get();
    }

    /** Reconstructs the answers to a batch. A row is unavailable if a prediction that it needs is unavailable, or the decoder fails. */
    Answers decode(Batch batch, int size) {
        int rotation = Math.floorMod(layout.placeOf(segment) - batch.slot(), layout.n());
        Answers answers = new Answers(batch.size(), size);
        Optional<GroupShape> shape = shape(batch, rotation);
        for (GroupShape.Band band : shape.map(GroupShape::bands).orElse(List.of())) {
            if (Arrays.binarySearch(band.members(), batch.slot()) >= 0) {
                decode(band, batch, rotation, answers);
            }
        }
        return answers;
    }

    private void decode(GroupShape.Band band, Batch batch, int rotation, Answers answers) {
        int[] members = band.members();
        int lost = Arrays.binarySearch(members, batch.slot());
        Answers[] others = new Answers[members.length];
        for (int member = 0; member < members.length; member++) {
            Map<Long, Answers> block = data.get((members[member] + rotation) % layout.n());
            others[member] = block == null ? null : block.get(batch.group());
        }
        Answers[] parity = new Answers[allParities];
        for (int j = 0; j < parities.size(); j++) {
            parity[j] = parity(batch, rotation, j);
        }
        int end = Math.min(band.to(), answers.rows());
        for (int from = band.from(); from < end; from += AT_ONCE) {
            List<GroupDecoder.Received> groups = IntStream.range(from, Math.min(end, from + AT_ONCE))
                    .mapToObj(row -> new GroupDecoder.Received(predictions(others, row), predictions(parity, row)))
                    .toList();
            List<BitSet> reconstructed = decode(groups);
            for (int i = 0; i < groups.size(); i++) {
                if (reconstructed.get(i).get(lost)) {
                    answers.set(from + i, groups.get(i).predictions()[lost], Outcome.RECONSTRUCTED);
                }
            }
        }
    }

    private List<BitSet> decode(List<GroupDecoder.Received> groups) {
        try {
            return decoder.decode(groups);
        } catch (ModelException e) {
            decoder = without(e);
            return decoder.decode(groups);
        }
    }

    private static float[][] predictions(Answers[] answers, int row) {
        float[][] predictions = new float[answers.length][];
        for (int i = 0; i < answers.length; i++) {
            predictions[i] = answers[i] == null ? null : answers[i].prediction(row);
        }
        return predictions;
    }

    /** The shape of a batch's group; empty if no parity of the group is there to tell it. */
    private Optional<GroupShape> shape(Batch batch, int rotation) {
        for (int j = 0; j < parities.size(); j++) {
            Answers parity = parity(batch, rotation, j);
            if (parity != null) {
                return Optional.of(parity.shape());
            }
        }
        return Optional.empty();
    }

    private Answers parity(Batch batch, int rotation, int j) {
        Map<Long, Answers> block = parities.get(j).get((layout.k() + j + rotation) % layout.n());
        return block == null ? null : block.get(batch.group());
    }

    private int first() {
        return layout.stripeOf(segment) * layout.n();
    }
}
