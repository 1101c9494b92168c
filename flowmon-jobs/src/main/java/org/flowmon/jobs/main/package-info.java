/** The main class of the job's jar: its command line selects the job. */
package org.flowmon.jobs.main;
