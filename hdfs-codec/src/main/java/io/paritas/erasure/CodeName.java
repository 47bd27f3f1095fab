/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import io.paritas.PublicApi;
import io.paritas.erasure.kernel.KernelChoice;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The name of a code, as users write it: {@code paritas-6-3}, {@code rs-6-3}, {@code isal-4-2}, {@code xor-2},
 * {@code lrc-12-2-2}, {@code strip-6-3-4}. Immutable.
 *
 * @param family family of the generator
 * @param parameters shape; r counts all parity units, the local ones too
 * @param detail what else tells codes of the family apart: of lrc, how many of the parity units, the last ones, are local; of strip, how
 *     many strips a unit is cut into; otherwise 0
 */
@PublicApi
public record CodeName(CodeFamily family, CodeParameters parameters, int detail) {
    private static final Map<CodeName, SystematicCode> CODES = new ConcurrentHashMap<>();

    private static final Pattern SYNTAX =
            Pattern.compile("((?<family>[a-z]+)-)?(?<numbers>[0-9]{1,3}(-[0-9]{1,3}){0,2})", Pattern.CASE_INSENSITIVE);

    /**
     * @throws IllegalArgumentException if the family has no code of this shape
     */
    public CodeName {
        family.generator(parameters, detail);
    }

    /** Creates the name of a code without local groups and strips. */
    public CodeName(CodeFamily family, CodeParameters parameters) {
        this(family, parameters, 0);
    }

    /**
     * Parses the name of a byte-local code, in letters of either case. Without a family it means paritas where that has the shape,
     * and rs otherwise.
     *
     * @throws IllegalArgumentException if the text names no code, or one of strips
     */
    public static CodeName parse(String name) {
        CodeName code = parseAny(name);
        if (code.family == CodeFamily.STRIP) {
            throw unknown(name, ": a strip code is for files, which always read whole units");
        }
        return code;
    }

    /**
     * Parses the name of a code for files, which may be one of strips: {@link #parse}.
     *
     * @throws IllegalArgumentException if it is not the name of a code
     */
    public static CodeName parseForFiles(String name) {
        try {
            return parseAny(name);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "a code for files may also be strip-K-R-W, with W strips in a unit; " + e.getMessage(), e);
        }
    }

    private static CodeName parseAny(String name) {
        Matcher parts = SYNTAX.matcher(name);
        if (!parts.matches()) {
            throw unknown(name, "");
        }
        int[] numbers = Arrays.stream(parts.group("numbers").split("-", -1))
                .mapToInt(Integer::parseInt)
                .toArray();
        if (parts.group("family") == null) {
            return withoutFamily(name, numbers);
        }
        return of(CodeFamily.named(parts.group("family")).orElseThrow(() -> unknown(name, "")), name, numbers);
    }

    private static CodeName withoutFamily(String name, int[] numbers) {
        try {
            return of(CodeFamily.PARITAS, name, numbers);
        } catch (IllegalArgumentException e) {
            return of(CodeFamily.RS, name, numbers);
        }
    }

    private static CodeName of(CodeFamily family, String name, int[] numbers) {
        boolean fits =
                switch (family) {
                    case XOR -> numbers.length <= 2;
                    case LRC, STRIP -> numbers.length == 3;
                    default -> numbers.length == 2;
                };
        if (!fits) {
            throw unknown(name, "");
        }
        try {
            int detail = numbers.length == 3 ? numbers[2] : 0;
            int r = numbers.length == 1 ? 1 : numbers[1] + (family == CodeFamily.LRC ? detail : 0);
            return new CodeName(family, new CodeParameters(numbers[0], r), detail);
        } catch (IllegalArgumentException e) {
            throw unknown(name, ": " + e.getMessage());
        }
    }

    private static IllegalArgumentException unknown(String name, String why) {
        return new IllegalArgumentException(
                "a code must be K-R, paritas-K-R, rs-K-R, isal-K-R, xor-K or lrc-K-R-L, with K data units, R parity"
                        + " units and L local ones, such as 6-3, rs-6-3, isal-4-2, xor-2 or"
                        + " lrc-12-2-2, got '" + name + "'" + why);
    }

    /** The number of data units. */
    public int k() {
        return parameters.k();
    }

    /** The number of units, data and parity. */
    public int n() {
        return parameters.n();
    }

    /** The r×k matrix that gives the parity units. */
    public Matrix generator() {
        return family.generator(parameters, detail);
    }

    /** How many of the parity units, the last ones, belong to local groups; 0 if it is no lrc. */
    public int localGroups() {
        return family == CodeFamily.LRC ? detail : 0;
    }

    /** How many units may be lost, whichever they are; more, if losses are spread over the local groups of an lrc. */
    public int tolerated() {
        return parameters.r() - localGroups();
    }

    /** How many strips a unit is cut into: its length is a multiple of that. 1 for byte-local codes. */
    public int strips() {
        return family == CodeFamily.STRIP ? detail : 1;
    }

    /**
     * Returns the byte-local code on this JVM's kernel: {@link #systematicCode}.
     *
     * @throws IllegalStateException if it is a code of strips
     */
    public ErasureCode erasureCode() {
        if (systematicCode() instanceof ErasureCode code) {
            return code;
        }
        throw new IllegalStateException("a byte-local code is needed here, " + this + " is one of strips");
    }

    /** Returns the code on this JVM's kernel. All calls share one instance, with its compiled kernels and cached plans. */
    public SystematicCode systematicCode() {
        return CODES.computeIfAbsent(this, CodeName::compiled);
    }

    private SystematicCode compiled() {
        return family == CodeFamily.STRIP
                ? StripCode.of(generator(), StripCode.Form.TUNED)
                : ErasureCode.of(generator(), KernelChoice.current().provider());
    }

    @Override
    public String toString() {
        IntStream numbers =
                switch (family) {
                    case XOR -> IntStream.of(parameters.k());
                    case LRC -> IntStream.of(parameters.k(), parameters.r() - detail, detail);
                    case STRIP -> IntStream.of(parameters.k(), parameters.r(), detail);
                    default -> IntStream.of(parameters.k(), parameters.r());
                };
        return Stream.concat(Stream.of(family.toString()), numbers.mapToObj(Integer::toString))
                .collect(Collectors.joining("-"));
    }
}
