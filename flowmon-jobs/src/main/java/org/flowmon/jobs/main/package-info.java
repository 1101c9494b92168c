/** The main class of the job's jar: its command line selects the job. */
@NullMarked
package org.flowmon.jobs.main;

import org.jspecify.annotations.NullMarked;
