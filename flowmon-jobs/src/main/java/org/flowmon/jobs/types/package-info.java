/** How records are serialized. */
@NullMarked
package org.flowmon.jobs.types;

import org.jspecify.annotations.NullMarked;
