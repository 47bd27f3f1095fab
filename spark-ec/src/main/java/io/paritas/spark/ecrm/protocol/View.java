/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Which servers there are, as the driver says. Immutable.
 *
 * @param epoch grows with each change
 * @param rollbacks how often all servers went back to a checkpoint
 * @param members by the number of the server
 */
public record View(int epoch, int rollbacks, List<Member> members) {
    /**
     * One server.
     *
     * @param birth the epoch in which it took its number, or 0 if nobody has it now
     * @param endpoint where it is reached
     */
    public record Member(int birth, String endpoint) {
        static final Member NOBODY = new Member(0, "");
    }

    public View {
        members = List.copyOf(members);
    }

    /** The first one. */
    public static View of(List<String> endpoints) {
        return new View(
                1,
                0,
                endpoints.stream().map(endpoint -> new Member(1, endpoint)).toList());
    }

    /** The next one, in which nobody is the server. */
    public View without(int server) {
        return with(server, Member.NOBODY);
    }

    /** The next one, in which somebody new is the server. */
    public View with(int server, String endpoint) {
        return with(server, new Member(epoch + 1, endpoint));
    }

    /** The next one, in which nobody is any server, because all go back to a checkpoint. */
    public View rolledBack() {
        return new View(epoch + 1, rollbacks + 1, Collections.nCopies(members.size(), Member.NOBODY));
    }

    private View with(int server, Member member) {
        List<Member> changed = new ArrayList<>(members);
        changed.set(server, member);
        return new View(epoch + 1, rollbacks, changed);
    }

    public int servers() {
        return members.size();
    }

    public boolean isUp(int server) {
        return members.get(server).birth() > 0;
    }

    /** Of a server that is up. */
    public Address address(int server) {
        return Address.server(server, members.get(server).birth());
    }

    /** Whether a server is the one that has its number now. */
    public boolean has(Address server) {
        return server.id() >= 0
                && server.id() < members.size()
                && isUp(server.id())
                && address(server.id()).equals(server);
    }

    /** All that are up. */
    public List<Address> addresses() {
        List<Address> up = new ArrayList<>();
        for (int server = 0; server < members.size(); server++) {
            if (isUp(server)) {
                up.add(address(server));
            }
        }
        return up;
    }

    /** Of the servers with the same block, the one that orders its updates: who has been there longest. */
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

    void write(WireWriter to) {
        to.int4(epoch);
        to.int4(rollbacks);
        to.list(members, (member, bytes) -> {
            bytes.int4(member.birth());
            bytes.string(member.endpoint());
        });
    }

    static View read(WireReader from) {
        return new View(from.int4(), from.int4(), from.list(bytes -> new Member(bytes.int4(), bytes.string())));
    }
}
