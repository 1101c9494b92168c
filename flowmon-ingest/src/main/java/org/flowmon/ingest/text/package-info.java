/**
 * Makes text from outside safe to show: it can move no cursor, forge no line, turn no direction of
 * writing and hide nothing.
 */
@NullMarked
package org.flowmon.ingest.text;

import org.jspecify.annotations.NullMarked;
