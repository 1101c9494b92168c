/** The memory of a process, and who may take how much of it. */
@NullMarked
package org.flowmon.flow.memory;

import org.jspecify.annotations.NullMarked;
