/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.protect;

import io.paritas.cli.protect.FaultStudy.Cases;
import io.paritas.inference.Device;
import io.paritas.inference.ModelFile;
import io.paritas.inference.data.Inputs;
import io.paritas.inference.graph.GraphBuilder;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.torch.GraphNetwork;
import io.paritas.inference.torch.LibTorch;
import io.paritas.inference.train.ClassifierObjective;
import io.paritas.inference.train.ClassifierObjective.Classifier;
import io.paritas.inference.train.ClassifierObjective.Labelled;
import io.paritas.inference.train.ClassifierObjective.TrainingSets;
import io.paritas.inference.train.Curriculum;
import io.paritas.inference.train.Progress;
import io.paritas.inference.train.TrainOptions;
import io.paritas.inference.train.Trainer;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * A network of the shape of ACAS Xu's (thesis, 2.2.2), for random encounters: distance, angle and heading of the other aircraft, and
 * both speeds. It advises to keep the course, or to turn left or right, weakly or strongly, by how near the two would come. The
 * published networks are not shipped; this one answers a simpler question with as many values.
 */
final class Acas {
    private static final int INPUTS = 5;
    private static final int ADVISORIES = 5;
    private static final int LAYER = 50;
    private static final int TRAINED_ON = 40_000;
    private static final double SAFE = 0.35;
    private static final double NEAR = 0.15;

    private Acas() {}

    static ModelFile train(long seed) {
        GraphBuilder builder = new GraphBuilder(INPUTS);
        GraphBuilder.Value hidden = builder.hidden(builder.input(), LAYER, LAYER, LAYER, LAYER, LAYER);
        var graph = Initialisation.PYTORCH.apply(builder.output(builder.linear(hidden, ADVISORIES)), seed);
        Cases train = cases(TRAINED_ON, seed + 2);
        Cases validation = cases(TRAINED_ON / 20, seed + 3);
        TrainOptions options =
                TrainOptions.DEFAULT.withEpochs(30).withSeed(seed).on(Device.CPU, 1);
        Device device = LibTorch.start(options.device(), options.threads());
        try (ClassifierObjective objective = new ClassifierObjective(
                "encounters",
                Classifier.of(GraphNetwork.trainable(graph, device), ADVISORIES, device),
                TrainingSets.of(
                        new Labelled(train.inputs(), train.labels()),
                        new Labelled(validation.inputs(), validation.labels())),
                Curriculum.NONE)) {
            return Trainer.train(objective, options, Optional.empty(), Progress.NONE)
                    .networks()
                    .get(0);
        }
    }

    /** Returns encounters with the right advice. */
    static Cases cases(int count, long seed) {
        Random random = new Random(seed);
        float[] rows = new float[count * INPUTS];
        int[] labels = new int[count];
        for (int i = 0; i < count; i++) {
            double distance = random.nextDouble();
            double bearing = random.nextDouble() * 2 - 1;
            double heading = random.nextDouble() * 2 - 1;
            double own = 0.2 + random.nextDouble();
            double other = 0.2 + random.nextDouble();
            double[] row = {distance, bearing, heading, own, other};
            for (int j = 0; j < INPUTS; j++) {
                rows[i * INPUTS + j] = (float) row[j];
            }
            labels[i] = advisory(distance, bearing * Math.PI, heading * Math.PI, own, other);
        }
        return new Cases(Inputs.of(rows, List.of(INPUTS)), labels);
    }

    /** Returns the advice: 0 clear of conflict; 1 and 2 turn left, weakly and strongly; 3 and 4 turn right. */
    private static int advisory(double distance, double bearing, double heading, double own, double other) {
        double x = distance * Math.cos(bearing);
        double y = distance * Math.sin(bearing);
        double speedX = other * Math.cos(heading) - own;
        double speedY = other * Math.sin(heading);
        double speed = speedX * speedX + speedY * speedY;
        double until = Math.max(0, -(x * speedX + y * speedY) / Math.max(speed, 1e-9));
        double nearX = x + until * speedX;
        double nearY = y + until * speedY;
        double nearest = Math.hypot(nearX, nearY);
        if (nearest > SAFE || until > 2) {
            return 0;
        }
        int strength = nearest < NEAR ? 1 : 0;
        return (y > 0 ? 3 : 1) + strength;
    }
}
