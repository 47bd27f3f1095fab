/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import io.paritas.inference.ModelEngine;
import io.paritas.inference.ModelEngineContract;

class ProtectedEngineTest extends ModelEngineContract {
    @Override
    protected ModelEngine engine() {
        return new ProtectedEngine();
    }
}
