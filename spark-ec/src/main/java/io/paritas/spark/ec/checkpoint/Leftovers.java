/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import io.paritas.spark.job.TaskGroup;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes files that a checkpoint does not need: of failed attempts, and of replaced checkpoints. On the driver.
 *
 * @param storage the file systems
 * @param directories directories of the checkpoints
 */
record Leftovers(Storage storage, List<String> directories) {
    private static final Logger LOG = LoggerFactory.getLogger(Leftovers.class);

    /** How long to wait for the tasks of a failed job. */
    private static final Duration END_TIMEOUT = Duration.ofSeconds(10);

    /** Deletes the files of attempts whose tasks were done by another attempt. If that fails, they still do not count. */
    void deleteAttempts(String id, List<Part> parts) {
        Set<String> current = parts.stream().map(Part::folder).collect(Collectors.toSet());
        for (String directory : directories) {
            try {
                for (FileStatus entry : storage.list(UnitFileLayout.folder(directory, id))) {
                    if (entry.isDirectory() && !current.contains(entry.getPath().getName())) {
                        storage.delete(entry.getPath());
                    }
                }
            } catch (IOException | IllegalStateException e) {
                LOG.warn(
                        "files of superfluous task attempts cannot be deleted in {}: they go with checkpoint {}",
                        directory,
                        id,
                        e);
            }
        }
    }

    /**
     * Deletes a checkpoint that could not be written, once no task writes into it. While a manifest stays, its units do too: the
     * checkpoint counts. Goes on although the thread is interrupted.
     */
    void deleteFailed(String id, TaskGroup tasks, Throwable cause) {
        boolean interrupted = Thread.interrupted();
        try {
            awaitEnd(tasks, "checkpoint " + id + " could not be written");
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        if (storage.deleteAfter(cause, manifests(id))) {
            storage.deleteAfter(cause, folders(id));
        }
    }

    /** Waits for the tasks of a failed job. */
    static void awaitEnd(TaskGroup tasks, String what) {
        try {
            if (!tasks.end(END_TIMEOUT)) {
                LOG.warn("{}, and some of its tasks still run: they may leave files behind", what);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Deletes a replaced checkpoint. If that fails, it still does not count, and one that is written later finds the manifests that stay. */
    void deleteReplaced(String id) {
        try {
            for (Path folder : folders(id)) {
                storage.delete(folder);
            }
        } catch (IOException | IllegalStateException e) {
            LOG.warn(
                    "checkpoint {} was replaced but cannot be deleted: the next one that is written here tries again",
                    id,
                    e);
        }
    }

    private List<Path> manifests(String id) {
        return folders(id).stream()
                .map(folder -> new Path(folder, Manifest.FILE_NAME))
                .toList();
    }

    private List<Path> folders(String id) {
        return directories.stream()
                .map(directory -> UnitFileLayout.folder(directory, id))
                .toList();
    }
}
