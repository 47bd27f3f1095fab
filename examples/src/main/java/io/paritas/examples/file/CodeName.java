/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.file;

import io.paritas.erasure.CodeParameters;
import io.paritas.erasure.ErasureCode;
import io.paritas.erasure.kernel.KernelChoice;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A code as the command line names it: {@code rs-6-3}, {@code isal-4-2}, {@code xor-2}. */
record CodeName(CodeFamily family, CodeParameters parameters) {
    private static final Pattern SYNTAX =
            Pattern.compile("(?<family>[a-z]+)-(?<k>[0-9]{1,3})(-(?<r>[0-9]{1,3}))?", Pattern.CASE_INSENSITIVE);

    /**
     * @throws IllegalArgumentException if the family has no code of this shape
     */
    CodeName {
        family.generator(parameters);
    }

    /** What picocli calls for an option of this type. */
    static final class Converter implements ITypeConverter<CodeName> {
        @Override
        public CodeName convert(String value) {
            try {
                return parse(value);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }

    /**
     * Parses the name of a code.
     *
     * @throws IllegalArgumentException if it does not name one
     */
    static CodeName parse(String name) {
        Matcher parts = SYNTAX.matcher(name);
        if (!parts.matches()) {
            throw unknown(name, "");
        }
        CodeFamily family = CodeFamily.named(parts.group("family")).orElseThrow(() -> unknown(name, ""));
        String r = parts.group("r");
        if (r == null && family != CodeFamily.XOR) {
            throw unknown(name, "");
        }
        try {
            int k = Integer.parseInt(parts.group("k"));
            return new CodeName(family, new CodeParameters(k, r == null ? 1 : Integer.parseInt(r)));
        } catch (IllegalArgumentException e) {
            throw unknown(name, ". " + e.getMessage());
        }
    }

    private static IllegalArgumentException unknown(String name, String why) {
        return new IllegalArgumentException("A code is rs-K-R, isal-K-R or xor-K, with K data units and R parity units,"
                + " such as rs-6-3, isal-4-2 or xor-2; got '" + name + "'" + why);
    }

    int k() {
        return parameters.k();
    }

    int n() {
        return parameters.n();
    }

    /** The code, on this JVM's kernel. */
    ErasureCode erasureCode() {
        return ErasureCode.of(
                family.generator(parameters), KernelChoice.current().provider());
    }

    @Override
    public String toString() {
        return family + "-" + parameters.k() + (family == CodeFamily.XOR ? "" : "-" + parameters.r());
    }
}
