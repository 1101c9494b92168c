/**
 * Texts from outside: kept once if they repeat, and made safe to show, so that they can move no
 * cursor, forge no line, turn no direction of writing and hide nothing.
 */
@NullMarked
package org.flowmon.ingest.text;

import org.jspecify.annotations.NullMarked;
