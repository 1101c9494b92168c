/** Flows as batches of columns, with their addresses: what all parts share, by the JDK alone. */
@NullMarked
package org.flowmon.flow;

import org.jspecify.annotations.NullMarked;
