/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.bench;

import io.paritas.erasure.CodeFamily;
import io.paritas.erasure.CodeName;
import io.paritas.erasure.CodeParameters;
import io.paritas.erasure.Matrix;
import io.paritas.erasure.StripCode;
import io.paritas.erasure.StripCode.Form;
import io.paritas.erasure.StripCode.Layout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The rows of strip codes: one for each way to compute them and each number of strips, such as {@code strips-8}. Units are rounded down to
 * whole strips of whole 64 bytes.
 */
final class StripCoders {
    /** Of strips, so that vectors have no rest. */
    private static final int GRANULARITY = 64;

    private static final int MOST_STRIPS = 8;

    static final List<Coder> ALL =
            Arrays.stream(Way.values()).flatMap(Way::coders).toList();

    /** How a code is computed, and by which other way its bytes are checked. */
    private enum Way {
        STRIPS("ours: a program of xors on", Form.PROGRAM, Layout.STRIPS, Form.GEMM),
        GEMM("ours: a product of bits, in tiles, of", Form.GEMM, Layout.STRIPS, Form.PROGRAM),
        PACKETS("ours: a program of xors on interleaved packets of", Form.PROGRAM, Layout.PACKETS, Form.PROGRAM);

        private final String about;
        private final Form form;
        private final Layout layout;
        private final Form reference;

        Way(String about, Form form, Layout layout, Form reference) {
            this.about = about;
            this.form = form;
            this.layout = layout;
            this.reference = reference;
        }

        private Stream<Coder> coders() {
            return IntStream.rangeClosed(1, MOST_STRIPS).mapToObj(this::coder);
        }

        private Coder coder(int w) {
            String name = name().toLowerCase(Locale.ROOT) + "-" + w;
            Map<CodeParameters, StripCode> codes = new ConcurrentHashMap<>();
            return new Coder(
                    name,
                    about + " " + w + " strips",
                    Optional::empty,
                    (code, operation) -> code.n() <= 1 << w,
                    shape -> lane(name, whole(shape, w), w, codes));
        }

        private Lane lane(String name, Shape shape, int w, Map<CodeParameters, StripCode> codes) {
            Matrix generator = new CodeName(CodeFamily.STRIP, shape.code(), w).generator();
            StripCode code = codes.computeIfAbsent(shape.code(), parameters -> StripCode.of(generator, form, layout));
            StripCode checked = StripCode.of(generator, reference, layout);
            Stripe stripe = Stripe.random(shape, checked, ByteBuffer::allocate);
            return new JavaLane(name, stripe, new OurCode(code, stripe));
        }
    }

    private StripCoders() {}

    private static Shape whole(Shape shape, int w) {
        int group = w * GRANULARITY;
        return new Shape(shape.code(), Math.max(1, shape.unitLength() / group) * group);
    }
}
