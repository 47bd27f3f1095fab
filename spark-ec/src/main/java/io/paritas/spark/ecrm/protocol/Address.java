/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

/**
 * Who sends and receives.
 *
 * @param id of a server, its number from 0; of a worker or a candidate, any that no other has
 * @param birth of a server, the epoch in which it took its number, from 1: its replacement has a later one; else 0
 */
public record Address(Role role, int id, int birth) {
    /** What one is. */
    public enum Role {
        DRIVER,
        SERVER,
        WORKER,
        /** One that would be a server. */
        CANDIDATE
    }

    public static final Address DRIVER = new Address(Role.DRIVER, 0, 0);

    public static Address server(int number, int birth) {
        return new Address(Role.SERVER, number, birth);
    }

    public static Address worker(int id) {
        return new Address(Role.WORKER, id, 0);
    }

    /** @param id one that no other candidate has or had */
    public static Address candidate(int id) {
        return new Address(Role.CANDIDATE, id, 0);
    }

    public boolean isServer() {
        return role == Role.SERVER;
    }

    void write(WireWriter to) {
        to.one(role.ordinal());
        to.int4(id);
        to.int4(birth);
    }

    static Address read(WireReader from) {
        return new Address(from.constant(Role.values()), from.int4(), from.int4());
    }
}
