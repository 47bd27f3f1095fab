/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.catalyst;

import java.util.Arrays;
import scala.Product;

/**
 * An expression or operator in Java that is a case class to Spark: Spark copies, compares and prints it by its fields. An
 * interface cannot define {@code equals} and {@code hashCode}; implementations call {@link #equal} and {@link #hash}.
 */
public interface CaseNode extends Product {

    /** The arguments of the constructor with which Spark copies this node, in order. */
    Object[] caseFields();

    /** The fields that make two nodes equal: all, unless some follow from others. */
    default Object[] comparedFields() {
        return caseFields();
    }

    @Override
    default int productArity() {
        return caseFields().length;
    }

    @Override
    default Object productElement(int index) {
        return caseFields()[index];
    }

    @Override
    default boolean canEqual(Object other) {
        return other != null && other.getClass() == getClass();
    }

    /** Whether an object is a node of the same class with equal fields. */
    static boolean equal(CaseNode node, Object other) {
        return node == other
                || (node.canEqual(other) && Arrays.equals(node.comparedFields(), ((CaseNode) other).comparedFields()));
    }

    /** A hash that fits {@link #equal}. */
    static int hash(CaseNode node) {
        return Arrays.hashCode(node.comparedFields());
    }
}
