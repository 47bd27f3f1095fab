/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.quickstart;

import java.io.IOException;

/** The same transfers by a client with {@code rs_paritas} and by one with {@code rs_java}. */
record Duel(CoderClient paritas, CoderClient java) implements AutoCloseable {
    /** Number of turns: the first transfers of a JVM are slow with any coder. */
    private static final int ROUNDS = 3;

    /** One transfer. */
    interface Run {
        Transfer of(CoderClient client, String coder) throws IOException;
    }

    /** The fastest transfer of each. */
    record Result(Transfer paritas, Transfer java) {
        /** Fails unless both transferred the same bytes; returns their digest. */
        String sha256() {
            return requireEqual(paritas.sha256()).paritas.sha256();
        }

        /** Fails unless both transferred the bytes with this digest. */
        Result requireEqual(String sha256) {
            requireEqual(Settings.RS_PARITAS, paritas, sha256);
            requireEqual(Settings.RS_JAVA, java, sha256);
            return this;
        }

        private static void requireEqual(String coder, Transfer transfer, String sha256) {
            CheckFailed.require(
                    transfer.sha256().equals(sha256),
                    "a transfer by %s must have the SHA-256 of the original, %s, got %s in %d bytes. If nobody changed the file"
                            + " meanwhile, this is a bug in Paritas: please report it",
                    coder,
                    sha256,
                    transfer.sha256(),
                    transfer.bytes());
        }
    }

    /** Creates both clients of a cluster. */
    static Duel in(Cluster cluster) throws IOException {
        CoderClient paritas = CoderClient.open(cluster.clientSettings(Settings.RS_PARITAS));
        try {
            return new Duel(paritas, CoderClient.open(cluster.clientSettings(Settings.RS_JAVA)));
        } catch (IOException e) {
            paritas.close();
            throw e;
        }
    }

    /** Runs the transfers in turns. */
    Result run(Run run) throws IOException {
        Transfer paritasBest = run.of(paritas, Settings.RS_PARITAS);
        Transfer javaBest = run.of(java, Settings.RS_JAVA);
        for (int round = 1; round < ROUNDS; round++) {
            paritasBest = Transfer.faster(paritasBest, run.of(paritas, Settings.RS_PARITAS));
            javaBest = Transfer.faster(javaBest, run.of(java, Settings.RS_JAVA));
        }
        return new Result(paritasBest, javaBest);
    }

    @Override
    public void close() throws IOException {
        try (paritas) {
            java.close();
        }
    }
}
