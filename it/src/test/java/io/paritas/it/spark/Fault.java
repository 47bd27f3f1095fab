/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import java.util.concurrent.TimeUnit;

/** What befalls a task, from inside of it. */
enum Fault {
    /** Takes so long that nobody waits for it by accident. */
    SLEEP {
        @Override
        void strike() throws Exception {
            TimeUnit.MINUTES.sleep(5);
        }
    },

    /** Is late, by more than others have patience, but comes. */
    LATE {
        @Override
        void strike() throws Exception {
            TimeUnit.SECONDS.sleep(3);
        }
    },

    /** Fails. */
    THROW {
        @Override
        void strike() {
            throw new IllegalStateException("a fault of the test");
        }
    },

    /** Its executor is killed, without a chance to say goodbye. */
    KILL {
        @Override
        void strike() throws Exception {
            signal("-KILL");
            TimeUnit.MINUTES.sleep(1);
        }
    },

    /** Its executor ends itself. */
    EXIT {
        @Override
        void strike() {
            Runtime.getRuntime().halt(1);
        }
    },

    /** Its executor stops as if the hypervisor had forgotten it: connections stay, answers do not come. */
    FREEZE {
        @Override
        void strike() throws Exception {
            signal("-STOP");
        }
    };

    abstract void strike() throws Exception;

    private static void signal(String signal) throws Exception {
        new ProcessBuilder(
                        "kill", signal, String.valueOf(ProcessHandle.current().pid()))
                .start()
                .waitFor();
    }
}
