/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import io.paritas.spark.ec.job.TaskGroup;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;

/**
 * Deletes what a checkpoint does not need, or does not need any more. On the driver.
 *
 * @param storage the file systems
 * @param directories where checkpoints are
 */
record Leftovers(Storage storage, List<String> directories) {
    private static final System.Logger LOG = System.getLogger(Leftovers.class.getName());

    /** How long the tasks of a job that has failed may take to end. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** Deletes what attempts have left behind whose tasks were done by another one. */
    void deleteAttempts(String id, List<Part> parts) throws IOException {
        Set<String> current = parts.stream().map(Part::folder).collect(Collectors.toSet());
        for (String directory : directories) {
            for (FileStatus entry : storage.list(Layout.folder(directory, id))) {
                if (!current.contains(entry.getPath().getName())) {
                    storage.delete(entry.getPath());
                }
            }
        }
    }

    /** Deletes a checkpoint that could not be written, when no task writes into it any more. */
    void deleteFailed(String id, TaskGroup tasks, Throwable cause) {
        awaitEnd(tasks, "Checkpoint " + id + " could not be written");
        storage.deleteAfter(cause, manifests(id));
        storage.deleteAfter(cause, folders(id));
    }

    /** Waits for the tasks of what has failed. */
    static void awaitEnd(TaskGroup tasks, String what) {
        try {
            if (!tasks.end(PATIENCE)) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        what + ", and some of its tasks still run: they may leave files behind");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Deletes a checkpoint that another one has replaced: whatever happens to it, it does not count any more. */
    void deleteReplaced(String id) {
        try {
            delete(id);
        } catch (IOException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Checkpoint " + id
                            + " was replaced, but cannot be deleted. The next one that is written here tries again",
                    e);
        }
    }

    /** Deletes a checkpoint, the manifests first: without one, it is none. */
    private void delete(String id) throws IOException {
        for (Path manifest : manifests(id)) {
            storage.delete(manifest);
        }
        for (Path folder : folders(id)) {
            storage.delete(folder);
        }
    }

    private List<Path> manifests(String id) {
        return folders(id).stream()
                .map(folder -> new Path(folder, Manifest.FILE_NAME))
                .toList();
    }

    private List<Path> folders(String id) {
        return directories.stream()
                .map(directory -> Layout.folder(directory, id))
                .toList();
    }
}
