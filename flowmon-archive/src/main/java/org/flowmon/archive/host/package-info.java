/**
 * Questions about hosts that one call answers: when each was last seen, the rows of many, and a
 * summary of one host's flows.
 */
@NullMarked
package org.flowmon.archive.host;

import org.jspecify.annotations.NullMarked;
