/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.code;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.ModelException;
import io.paritas.inference.learned.LearnedCode;
import io.paritas.inference.parity.InputRange;
import io.paritas.inference.parity.ParityModels;
import io.paritas.inference.parity.PredictionCode;
import io.paritas.inference.parity.ResidualBound;
import io.paritas.inference.spark.ExactModel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CodesTest {
    private static final ExactModel MODEL = ExactModel.of(3, 2, 1);

    @TempDir
    private Path folder;

    @Test
    void readsWhatIsThereAndParityModelsFirst() {
        assertThat(Codes.FILES).isEqualTo("parity.json or learned.json");
        assertThat(Codes.in(folder)).isEmpty();

        MODEL.learned(3, 0).write(folder);
        assertThat(Codes.in(folder)).contains(folder.resolve("learned.json"));
        PredictionCode learned = Codes.read(folder);
        assertThat(learned).isInstanceOf(LearnedCode.class);
        assertThat(learned.plan().k()).isEqualTo(3);
        assertThat(learned.plan().r()).isEqualTo(1);
        assertThat(learned.networks()).containsOnlyKeys("encoder", "decoder");
        assertThat(learned.range()).isEqualTo(InputRange.FINITE);
        assertThat(learned.exact()).isFalse();
        assertThat(learned.residualBound(0.01)).isEqualTo(ResidualBound.NONE);
        assertThat(learned.answering(0, MODEL.forImages()).sha256())
                .isEqualTo(MODEL.forImages().sha256());

        MODEL.parity(2, 1, Map.of()).write(folder);
        PredictionCode parity = Codes.read(folder);
        assertThat(parity).isInstanceOf(ParityModels.class);
        assertThat(parity.networks()).isEmpty();
        assertThat(Codes.read(folder.resolve("learned.json"))).isInstanceOf(LearnedCode.class);
    }

    @Test
    void refusesWhatIsNoCode() throws Exception {
        assertThatThrownBy(() -> Codes.read(folder))
                .isInstanceOf(ModelException.class)
                .hasMessage("a folder with a code must have parity.json or learned.json, " + folder
                        + " has none: make it with bin/paritas train parity or train code");
        Path descriptor = MODEL.parity(2, 1, Map.of()).write(folder);
        Files.writeString(
                descriptor, Files.readString(descriptor).replace("\"kind\" : \"parity\"", "\"kind\" : \"folded\""));
        assertThatThrownBy(() -> Codes.read(descriptor))
                .isInstanceOf(ModelException.class)
                .hasMessage("a code must be of a kind of [parity, learned], " + descriptor + " is of the kind folded");
    }
}
