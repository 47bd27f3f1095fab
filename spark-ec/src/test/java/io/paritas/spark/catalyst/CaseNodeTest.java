/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.catalyst;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CaseNodeTest {
    private static class Node implements CaseNode {
        private final String name;
        private final int derived;

        Node(String name, int derived) {
            this.name = name;
            this.derived = derived;
        }

        @Override
        public Object[] caseFields() {
            return new Object[] {name, derived};
        }

        @Override
        public Object[] comparedFields() {
            return new Object[] {name};
        }

        @Override
        public boolean equals(Object other) {
            return CaseNode.equal(this, other);
        }

        @Override
        public int hashCode() {
            return CaseNode.hash(this);
        }
    }

    private static final class Other extends Node {
        Other(String name) {
            super(name, 0);
        }
    }

    @Test
    void fieldsAreAScalaProduct() {
        Node node = new Node("a", 1);
        assertThat(node.productArity()).isEqualTo(2);
        assertThat(node.productIterator().mkString(",")).isEqualTo("a,1");
        assertThat(node.productElement(1)).isEqualTo(1);
    }

    @Test
    void nodesOfAClassAreEqualByTheirComparedFields() {
        assertThat(new Node("a", 1))
                .isEqualTo(new Node("a", 2))
                .hasSameHashCodeAs(new Node("a", 2))
                .isNotEqualTo(new Node("b", 1))
                .isNotEqualTo(new Node(null, 1))
                .isNotEqualTo(new Other("a"))
                .isNotEqualTo("a")
                .isNotEqualTo(null);
        assertThat(new Node(null, 1)).isEqualTo(new Node(null, 2));
    }
}
