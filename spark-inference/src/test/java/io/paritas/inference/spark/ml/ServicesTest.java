/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.ml;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ServiceLoader;
import org.apache.spark.ml.Estimator;
import org.apache.spark.ml.PipelineStage;
import org.apache.spark.ml.Transformer;
import org.junit.jupiter.api.Test;

/** Spark Connect finds stages as services, makes them by uid, and loads them by a static method. */
class ServicesTest {
    @Test
    void transformersAreFound() throws Exception {
        assertFound(Transformer.class, CodedInferenceModel.class);
        assertFound(Transformer.class, FoldedInferenceModel.class);
    }

    @Test
    void estimatorsAreFound() throws Exception {
        assertFound(Estimator.class, ParityModelTrainer.class);
        assertFound(Estimator.class, FoldedCnnTrainer.class);
    }

    private static <S extends PipelineStage> void assertFound(Class<S> service, Class<? extends S> stage)
            throws ReflectiveOperationException {
        ServiceLoader.Provider<S> provider = ServiceLoader.load(service).stream()
                .filter(candidate -> candidate.type() == stage)
                .findFirst()
                .orElseThrow();
        assertThat(provider.get().params()).isNotEmpty();
        assertThat(stage.getConstructor(String.class).newInstance("name").uid()).isEqualTo("name");
        assertThat(stage.getMethod("load", String.class).getReturnType()).isEqualTo(stage);
    }
}
