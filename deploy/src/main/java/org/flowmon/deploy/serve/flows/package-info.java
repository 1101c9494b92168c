/** Addresses, their flows, exporters, and the state of the archives. */
@NullMarked
package org.flowmon.deploy.serve.flows;

import org.jspecify.annotations.NullMarked;
