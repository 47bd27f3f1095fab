/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

/** The general registers of AArch64, in the order of their numbers, but X18, which is the system's. */
enum ArmRegister implements Register {
    X0(0),
    X1(1),
    X2(2),
    X3(3),
    X4(4),
    X5(5),
    X6(6),
    X7(7),
    X8(8),
    X9(9),
    X10(10),
    X11(11),
    X12(12),
    X13(13),
    X14(14),
    X15(15),
    X16(16),
    X17(17),
    X19(19),
    X20(20),
    X21(21),
    X22(22),
    X23(23),
    X24(24),
    X25(25),
    X26(26),
    X27(27),
    X28(28),
    X29(29),
    X30(30),
    SP(31);

    private final int number;

    ArmRegister(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }
}
