/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import io.paritas.cli.spark.ExecutorProcess;
import java.io.IOException;
import java.util.Random;

/** What instances suffer from while they serve: a step is done again and again. */
enum Hardship {
    /** Nothing. */
    NONE("none") {
        @Override
        void step(Hosts hosts, Random random) throws InterruptedException {
            Hosts.pause(0.2);
        }
    },

    /** Two random hosts move 128 to 256 MB from one to the other, and back, as in the thesis (8.3.1). */
    TRANSFERS("transfers between two hosts") {
        @Override
        void step(Hosts hosts, Random random) throws IOException, InterruptedException {
            int from = random.nextInt(hosts.count());
            int to = (from + 1 + random.nextInt(hosts.count() - 1)) % hosts.count();
            hosts.transfer(from, to, 128 + random.nextInt(129));
        }
    },

    /** A random host has a third of its share for a second or two. */
    QUOTA("a third of the processor on one host") {
        @Override
        void step(Hosts hosts, Random random) throws IOException, InterruptedException {
            int host = random.nextInt(hosts.count());
            hosts.limit(host, 1 / 3.0);
            Hosts.pause(1 + random.nextDouble());
            hosts.limit(host, 1);
        }
    },

    /** A random executor stands still for 200 ms, about once a second. */
    FREEZE("200 ms stops") {
        @Override
        void step(Hosts hosts, Random random) throws InterruptedException {
            Hosts.pause(1.6 * random.nextDouble());
            ExecutorProcess executor = hosts.executor(random.nextInt(hosts.count()));
            executor.freeze();
            Hosts.pause(0.2);
            executor.thaw();
        }
    },

    /** A random executor is killed every 20 s. */
    KILL("kill -9 each 20 s") {
        @Override
        void step(Hosts hosts, Random random) throws InterruptedException {
            Hosts.pause(10);
            hosts.executor(random.nextInt(hosts.count())).kill();
            Hosts.pause(10);
        }
    };

    final String text;

    Hardship(String text) {
        this.text = text;
    }

    abstract void step(Hosts hosts, Random random) throws IOException, InterruptedException;
}
