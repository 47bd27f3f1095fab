/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a type that programs outside this project may use. Its public and protected members stay compatible within a major
 * version; {@code docs/api.md} lists all such types. Everything without this annotation is internal and changes without notice,
 * whatever its visibility.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.TYPE)
public @interface PublicApi {}
