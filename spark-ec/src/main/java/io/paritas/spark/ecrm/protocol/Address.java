/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

/**
 * The identity of a sender or receiver.
 *
 * @param id number of a server, from 0; of a worker or candidate, a number that no other one has
 * @param birth epoch in which a server took its number, from 1; its replacement has a later one. 0 for other roles
 */
public record Address(Role role, int id, int birth) {
    /** The part that a participant plays. */
    public enum Role {
        DRIVER,
        SERVER,
        WORKER,
        /** A task that waits to become a server. */
        CANDIDATE
    }

    public static final Address DRIVER = new Address(Role.DRIVER, 0, 0);

    public static Address server(int number, int birth) {
        return new Address(Role.SERVER, number, birth);
    }

    public static Address worker(int id) {
        return new Address(Role.WORKER, id, 0);
    }

    /** @param id a number that no other candidate has or had */
    public static Address candidate(int id) {
        return new Address(Role.CANDIDATE, id, 0);
    }

    public boolean isServer() {
        return role == Role.SERVER;
    }

    /** Returns the same number in every JVM, so that hash tables have the same order, and simulations can be replayed. */
    @Override
    public int hashCode() {
        return (31 * role.ordinal() + birth) * 31 + id;
    }

    void write(WireWriter to) {
        to.int1(role.ordinal());
        to.int4(id);
        to.int4(birth);
    }

    static Address read(WireReader from) {
        return new Address(from.constant(Role.values()), from.int4(), from.int4());
    }
}
