/** The memory of a process, and who may take how much of it. */
package org.flowmon.flow.memory;
