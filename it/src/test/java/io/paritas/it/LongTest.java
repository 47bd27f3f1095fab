/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** A test whose kind of trouble a shorter one has, too: {@code -Dio.paritas.test.long=true} runs both, before a release. */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@EnabledIfSystemProperty(
        named = LongTest.PROPERTY,
        matches = "true",
        disabledReason = "it takes long, and runs with -D" + LongTest.PROPERTY + "=true")
public @interface LongTest {
    /** The system property that long tests, and all cases of others, want to be {@code true}. */
    String PROPERTY = "io.paritas.test.long";
}
