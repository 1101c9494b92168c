/** The job: its pipelines, and which analyses it starts with. */
@NullMarked
package org.flowmon.jobs;

import org.jspecify.annotations.NullMarked;
