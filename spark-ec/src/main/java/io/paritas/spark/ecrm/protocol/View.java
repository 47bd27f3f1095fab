/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * The members of the cluster in one epoch; only the driver makes new views. Immutable.
 *
 * @param epoch grows with each change
 * @param rollbacks how often all servers have gone back to a checkpoint
 * @param restorable whether there is a checkpoint that all servers go back to when rows or blocks are lost
 * @param members by the number of the server
 */
public record View(int epoch, int rollbacks, boolean restorable, List<Member> members) {
    /**
     * The holder of one server number.
     *
     * @param birth epoch in which it took the number, or 0 if nobody holds it
     * @param endpoint host and port; empty if nobody holds the number
     */
    public record Member(int birth, String endpoint) {
        static final Member NOBODY = new Member(0, "");
    }

    public View {
        members = List.copyOf(members);
    }

    /** Returns the first view, in which all servers are up. */
    public static View of(List<String> endpoints) {
        return new View(
                1,
                0,
                false,
                endpoints.stream().map(endpoint -> new Member(1, endpoint)).toList());
    }

    /** Returns the next view, in which a server is down. */
    public View without(int server) {
        return with(server, Member.NOBODY);
    }

    /** Returns the next view, in which a server has been replaced. */
    public View with(int server, String endpoint) {
        return with(server, new Member(epoch + 1, endpoint));
    }

    /** Returns the next view, in which all servers are down because all go back to a checkpoint. */
    public View rolledBack() {
        return new View(epoch + 1, rollbacks + 1, restorable, Collections.nCopies(members.size(), Member.NOBODY));
    }

    /** Returns the next view, with a checkpoint to go back to. */
    public View withCheckpoint() {
        return new View(epoch + 1, rollbacks, true, members);
    }

    private View with(int server, Member member) {
        List<Member> changed = new ArrayList<>(members);
        changed.set(server, member);
        return new View(epoch + 1, rollbacks, restorable, changed);
    }

    /** How many server numbers there are. */
    public int servers() {
        return members.size();
    }

    /** Whether somebody holds a server number. */
    public boolean isUp(int server) {
        return members.get(server).birth() > 0;
    }

    /** Returns the address of a server that is up. */
    public Address address(int server) {
        return Address.server(server, members.get(server).birth());
    }

    /** Whether this address is a server that is up; false for a server that has been replaced. */
    public boolean has(Address server) {
        return server.id() >= 0
                && server.id() < members.size()
                && isUp(server.id())
                && address(server.id()).equals(server);
    }

    /** Returns the servers that are up. */
    public List<Address> addresses() {
        List<Address> up = new ArrayList<>();
        for (int server = 0; server < members.size(); server++) {
            if (isUp(server)) {
                up.add(address(server));
            }
        }
        return up;
    }

    /** Returns the first replica among servers with the same block: the one that has been up longest. */
    public int first(int... having) {
        int first = having[0];
        for (int other : having) {
            boolean longer = members.get(other).birth() < members.get(first).birth();
            if (isUp(other) && (longer || !isUp(first))) {
                first = other;
            }
        }
        return first;
    }

    /** Returns those of the servers with the same block that are up, from {@link #first} on by how long. */
    public int[] byAge(int... having) {
        return Arrays.stream(having)
                .filter(this::isUp)
                .boxed()
                .sorted(Comparator.comparingInt(server -> members.get(server).birth()))
                .mapToInt(Integer::intValue)
                .toArray();
    }

    void write(WireWriter to) {
        to.int4(epoch);
        to.int4(rollbacks);
        to.int1(restorable ? 1 : 0);
        to.list(members, (member, bytes) -> {
            bytes.int4(member.birth());
            bytes.string(member.endpoint());
        });
    }

    static View read(WireReader from) {
        return new View(
                from.int4(),
                from.int4(),
                from.int1() == 1,
                from.list(bytes -> new Member(bytes.int4(), bytes.string())));
    }
}
