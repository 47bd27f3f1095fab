/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * What instances have answered to the queries and parities of a group, also after the replies. Belongs to {@link CodedStrategy}. It lives as
 * long as an instance has work of the group.
 */
final class GroupAnswers {
    private final Map<Query, InstanceAnswer> predictions = new HashMap<>();
    private final InstanceAnswer[] parities;

    GroupAnswers(int r) {
        this.parities = new InstanceAnswer[r];
    }

    /**
     * Takes an answer.
     *
     * @param members the queries of the group
     * @return with the parity that has come, or with all of them if it was the last prediction; none while predictions are missing
     */
    List<AnsweredGroup> add(Work work, InstanceAnswer answer, List<Query> members) {
        if (work.query() == null) {
            parities[work.role().number()] = answer;
        } else {
            predictions.put(work.query(), answer);
        }
        if (!predictions.keySet().containsAll(members)) {
            return List.of();
        }
        List<InstanceAnswer> all = members.stream().map(predictions::get).toList();
        return IntStream.range(0, parities.length)
                .filter(parity -> parities[parity] != null)
                .filter(parity -> work.query() != null || work.role().number() == parity)
                .mapToObj(parity -> new AnsweredGroup(parity, all, parities[parity]))
                .toList();
    }
}
