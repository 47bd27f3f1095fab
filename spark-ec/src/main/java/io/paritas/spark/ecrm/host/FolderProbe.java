/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import io.paritas.spark.job.ApplicationExecutors;
import io.paritas.spark.job.DiskFiles;
import io.paritas.spark.job.Interrupt;
import io.paritas.spark.job.PlacedTasks;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.Function;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.util.SerializableConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tries whether the driver and the executors share a folder and may write it. Each executor looks for what the driver has made there,
 * and only then writes a file beside it: so nothing stays on the executor's machine if the folder is another one there.
 */
final class FolderProbe {
    private static final Logger LOG = LoggerFactory.getLogger(FolderProbe.class);
    private static final byte[] CONTENT = {1, 2, 3};

    private final String name;
    private final FileSystem files;
    private final Path folder;
    private final Path probe;

    private FolderProbe(String name, FileSystem files) {
        this.name = name;
        this.files = files;
        this.folder = new Path(name);
        this.probe = new Path(folder, "_probe-" + UUID.randomUUID());
    }

    /**
     * @throws IOException if one of them does not see what another one has written, or cannot write; or as the file system throws it if
     *     this thread is interrupted, which says nothing about the folder
     */
    static void run(JavaSparkContext spark, String folder) throws IOException {
        new FolderProbe(folder, DiskFiles.of(new Path(folder), spark.hadoopConfiguration())).run(spark);
    }

    private void run(JavaSparkContext spark) throws IOException {
        List<Path> missing = new ArrayList<>();
        try {
            for (Path path = folder; path != null && !files.exists(path); path = path.getParent()) {
                missing.add(path);
            }
            files.mkdirs(probe);
            write(files, new Path(probe, "driver"));
        } catch (IOException | RuntimeException e) {
            clear(missing);
            if (Interrupt.caused(e)) {
                throw e;
            }
            throw refusal("the driver cannot: " + e);
        }
        try {
            List<String> problems = PlacedTasks.of(spark.sc(), places())
                    .map(new Write(probe.toString(), new SerializableConfiguration(spark.hadoopConfiguration())))
                    .collect();
            for (int task = 0; task < problems.size(); task++) {
                if (!problems.get(task).isEmpty()) {
                    throw refusal(problems.get(task));
                }
                if (!files.exists(new Path(probe, Integer.toString(task)))) {
                    throw refusal("the driver does not see what an executor has written there");
                }
            }
        } finally {
            clear(missing);
        }
    }

    /** A task for each executor that there is now. */
    private static Map<String, List<String>> places() {
        Map<String, List<String>> places = new LinkedHashMap<>();
        for (BlockManagerId executor : ApplicationExecutors.all()) {
            places.put(
                    Integer.toString(places.size()),
                    List.of(PlacedTasks.location(executor.host(), executor.executorId())));
        }
        return places.isEmpty() ? Map.of("0", List.of()) : places;
    }

    private static void write(FileSystem files, Path file) throws IOException {
        try (FSDataOutputStream out = files.create(file, true)) {
            out.write(CONTENT);
        }
    }

    /** Deletes the probe, and the folders that were made for it unless others use them now. */
    private void clear(List<Path> made) {
        try {
            files.delete(probe, true);
            for (Path path : made) {
                if (files.exists(path) && files.listStatus(path).length == 0) {
                    files.delete(path, false);
                }
            }
        } catch (IOException e) {
            LOG.warn("{} cannot be deleted: delete it", probe, e);
        }
    }

    private IOException refusal(String problem) {
        return new IOException("checkpoints must be written into " + name + " by the driver and all executors, "
                + problem + ": name a folder that they share and may write");
    }

    /** Writes a file with the name of the task; returns what is wrong, nothing if all is well. */
    private record Write(String probe, SerializableConfiguration hadoop) implements Function<String, String> {
        @Override
        public String call(String task) {
            BlockManagerId self = SparkEnv.get().blockManager().blockManagerId();
            String who = "executor " + self.executorId() + " on " + self.host();
            Path folder = new Path(probe);
            try {
                FileSystem files = DiskFiles.of(folder, hadoop.value());
                if (!files.exists(new Path(folder, "driver"))) {
                    return who + " does not see what the driver has written there";
                }
                write(files, new Path(folder, task));
                return "";
            } catch (IOException | RuntimeException e) { // a file system that this executor does not have is one
                return who + " cannot: " + e;
            }
        }
    }
}
