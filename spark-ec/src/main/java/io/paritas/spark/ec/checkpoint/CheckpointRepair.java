/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import io.paritas.erasure.Erasures;
import io.paritas.erasure.file.UnitsException;
import io.paritas.spark.job.Serialised;
import io.paritas.spark.job.TaskGroup;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.Path;
import org.apache.spark.api.java.function.Function;
import org.apache.spark.sql.SparkSession;

/**
 * Looks for damage in a checkpoint, and repairs it. On the driver; a task for each partition does the work.
 *
 * @param session the session whose tasks do it
 * @param storage the file systems
 * @param checkpoint the checkpoint
 */
public record CheckpointRepair(SparkSession session, Storage storage, Checkpoint checkpoint) {

    /** The result of a task: the damage, and why it cannot be repaired, or null. */
    private record Report(List<Damage> damage, String hopeless) implements Serializable {
        Report {
            damage = new ArrayList<>(damage);
        }
    }

    /**
     * Finds the checkpoint.
     *
     * @throws UnitsException if not all directories are named, or they have several checkpoints
     * @throws IOException if there is none
     */
    public static CheckpointRepair of(SparkSession session, List<String> directories) throws IOException {
        Storage storage = Storage.of(session);
        Checkpoint checkpoint = Checkpoint.find(storage, Directories.qualified(storage, directories));
        if (!checkpoint.hasAllDirectories()) {
            throw new UnitsException("all " + checkpoint.directories().size()
                    + " directories of a checkpoint must be named to verify or repair it, an empty one in the place of"
                    + " each lost one, got " + directories);
        }
        return new CheckpointRepair(session, storage, checkpoint);
    }

    /** Returns the missing and damaged files. Reads every byte, and changes nothing. */
    public List<Damage> verify() {
        return inspect((inspector, finding) -> {}).stream()
                .flatMap(report -> report.damage.stream())
                .collect(Collectors.collectingAndThen(Collectors.toList(), this::withManifests));
    }

    /**
     * Rebuilds missing and damaged files.
     *
     * @return these files, all repaired
     * @throws UnitsException if some cannot be repaired; the others are
     */
    public List<Damage> repair() throws IOException {
        List<Report> reports = inspect(CheckpointRepair::repair);
        repairManifests();
        String hopeless = reports.stream()
                .filter(report -> report.hopeless != null)
                .map(report -> "\n  " + report.hopeless)
                .collect(Collectors.joining());
        if (!hopeless.isEmpty()) {
            throw new UnitsException(
                    "checkpoint " + checkpoint.manifest().id() + " cannot be repaired as a whole:" + hopeless);
        }
        return withManifests(
                reports.stream().flatMap(report -> report.damage.stream()).toList());
    }

    /** Something to do with a partition that can be repaired. */
    private interface Action extends Serializable {
        void with(PartInspector inspector, PartInspector.Finding finding) throws IOException;
    }

    private List<Report> inspect(Action action) {
        Storage files = storage;
        UnitFileLayout layout = checkpoint.layout();
        Function<Part, Report> task = part -> inspect(new PartInspector(files, layout, part), action);
        TaskGroup tasks = new TaskGroup(session.sparkContext());
        try {
            return tasks.run(
                    () -> Serialised.collect(CheckpointReader.parts(session.sparkContext(), checkpoint.manifest())
                            .map(task)));
        } catch (Throwable e) {
            Leftovers.awaitEnd(
                    tasks, "checkpoint " + checkpoint.manifest().id() + " could not be verified or repaired");
            throw e;
        }
    }

    private static Report inspect(PartInspector inspector, Action action) throws IOException {
        PartInspector.Finding finding = inspector.inspect();
        if (finding.hopeless().isEmpty()) {
            action.with(inspector, finding);
        }
        List<Damage> damage = finding.troubles().entrySet().stream()
                .map(entry -> new Damage(inspector.path(entry.getKey()).toString(), entry.getValue()))
                .toList();
        Optional<String> hopeless = finding.hopeless()
                .map(why -> "partition " + inspector.part().index() + ": " + why + "; damaged files:"
                        + damage.stream()
                                .map(each -> "\n    " + each.file() + ": " + each.trouble())
                                .collect(Collectors.joining()));
        return new Report(damage, hopeless.orElse(null));
    }

    private static void repair(PartInspector inspector, PartInspector.Finding finding) throws IOException {
        int[] damaged =
                finding.troubles().keySet().stream().mapToInt(Integer::intValue).toArray();
        if (damaged.length > 0) {
            inspector.repair(Erasures.of(damaged));
        }
    }

    /** @throws UnitsException if two names lead to one place: it keeps the manifest of one directory only */
    private void repairManifests() throws IOException {
        for (String directory : checkpoint.damage().keySet()) {
            int number = checkpoint.directories().indexOf(directory);
            CheckpointWriter.writeManifest(storage, new ManifestCopy(checkpoint.manifest(), number), directory);
        }
        if (!checkpoint.damage().isEmpty()) {
            Checkpoint.find(storage, checkpoint.directories());
        }
    }

    private List<Damage> withManifests(List<Damage> units) {
        List<Damage> all = new ArrayList<>(units);
        for (Map.Entry<String, String> entry : checkpoint.damage().entrySet()) {
            Path folder =
                    UnitFileLayout.folder(entry.getKey(), checkpoint.manifest().id());
            all.add(new Damage(new Path(folder, Manifest.FILE_NAME).toString(), entry.getValue()));
        }
        return List.copyOf(all);
    }
}
