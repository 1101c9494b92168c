/** Standard output and standard error, which no text from outside may steer. */
package org.flowmon.deploy.terminal;
